/** What one fills in: a label, the input, what it is for, and what is wrong with it. */
import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "./classes";

export const inputLook = classes(
  "w-full rounded-md border border-line-strong bg-panel px-2.5 text-sm text-text",
  "aria-invalid:border-failed disabled:opacity-60",
);

interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** The label is told, not shown. */
  bare?: boolean;
  children: (wired: Wired) => ReactNode;
}

/** What ties an input to its label, its hint and its error. */
export interface Wired {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

export function Field({ label, hint, error, bare = false, children }: FieldProps) {
  const id = useId();
  const told = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={bare ? "sr-only" : "text-sm font-medium"}>
        {label}
      </label>
      {children({
        id,
        ...(told && { "aria-describedby": told }),
        ...(error && { "aria-invalid": true as const }),
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-faint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-xs text-failed">
          {error}
        </p>
      )}
    </div>
  );
}

type Plain = Omit<FieldProps, "children">;

export function Input({
  label,
  hint,
  error,
  bare,
  className,
  ...rest
}: Plain & ComponentProps<"input">) {
  return (
    <Field {...plain({ label, hint, error, bare })}>
      {(wired) => <input {...wired} className={classes(inputLook, "h-8", className)} {...rest} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  bare,
  className,
  ...rest
}: Plain & ComponentProps<"textarea">) {
  return (
    <Field {...plain({ label, hint, error, bare })}>
      {(wired) => (
        <textarea
          rows={6}
          spellCheck={false}
          {...wired}
          className={classes(inputLook, "py-2 font-mono text-xs leading-5", className)}
          {...rest}
        />
      )}
    </Field>
  );
}

export function Select({
  label,
  hint,
  error,
  bare,
  className,
  children,
  ...rest
}: Plain & ComponentProps<"select">) {
  return (
    <Field {...plain({ label, hint, error, bare })}>
      {(wired) => (
        <select {...wired} className={classes(inputLook, "h-8 pr-7", className)} {...rest}>
          {children}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  className,
  ...rest
}: { label: ReactNode } & ComponentProps<"input">) {
  return (
    <label className={classes("inline-flex items-center gap-2 text-sm", className)}>
      <input type="checkbox" className="size-4 accent-accent" {...rest} />
      {label}
    </label>
  );
}

function plain({ label, hint, error, bare }: { [K in keyof Plain]: Plain[K] | undefined }): Plain {
  return {
    label: label ?? "",
    ...(hint !== undefined && { hint }),
    ...(error !== undefined && { error }),
    ...(bare !== undefined && { bare }),
  };
}
