/** Nothing is there yet: says so, and what to type so that there is. */
import type { ReactNode } from "react";
import { Command } from "./command";
import { Icon, type IconName } from "./icon";

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ReactNode;
  command?: string;
}

export function Empty({ icon, title, children, command }: EmptyProps) {
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col items-center gap-3 px-4 py-16 text-center">
      <span className="rounded-xl border border-line bg-panel p-3 text-faint shadow-xs">
        <Icon name={icon} className="size-6" />
      </span>
      <h2 className="text-lg">{title}</h2>
      {children && <div className="text-pretty text-soft">{children}</div>}
      {command && <Command>{command}</Command>}
    </div>
  );
}
