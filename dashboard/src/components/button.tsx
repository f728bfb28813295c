/** What can be pressed; a link that looks so is `buttonLook` on a link. */
import type { ComponentProps, ReactNode } from "react";
import { classes } from "./classes";
import { Icon, type IconName } from "./icon";

export type ButtonKind = "plain" | "primary" | "danger" | "ghost";

const KINDS: Record<ButtonKind, string> = {
  plain: "border border-line bg-panel text-text shadow-xs hover:bg-hover",
  primary: "border border-transparent bg-accent text-on-accent shadow-xs hover:bg-accent-hover",
  danger: "border border-line bg-panel text-failed shadow-xs hover:bg-failed-soft",
  ghost: "border border-transparent text-soft hover:bg-hover hover:text-text",
};

export function buttonLook(kind: ButtonKind = "plain", small = false): string {
  return classes(
    "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md text-sm font-medium",
    "whitespace-nowrap no-underline transition-colors select-none",
    "disabled:pointer-events-none disabled:opacity-50 aria-disabled:opacity-50",
    small ? "h-7 px-2" : "h-8 px-3",
    KINDS[kind],
  );
}

export interface ButtonProps extends ComponentProps<"button"> {
  kind?: ButtonKind;
  small?: boolean;
  icon?: IconName;
  /** While it works, it cannot be pressed again. */
  busy?: boolean;
  children?: ReactNode;
}

export function Button({
  kind = "plain",
  small = false,
  icon,
  busy = false,
  className,
  children,
  disabled,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      // oxlint-disable-next-line react/button-has-type -- it has one, of the two
      type={type}
      className={classes(buttonLook(kind, small), !children && "aspect-square px-0!", className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy ? (
        <Icon name="running" className="size-4 shrink-0 animate-spin" />
      ) : (
        icon && <Icon name={icon} />
      )}
      {children}
    </button>
  );
}
