/** A command to type, with a button that copies it. */
import { Copy } from "./copy";

export function Command({ children }: { children: string }) {
  return (
    <div className="flex max-w-full items-start gap-1 rounded-md border border-line bg-sunken py-1 pr-1 pl-3 text-left">
      <pre
        className="min-w-0 flex-1 overflow-x-auto py-1 font-mono text-xs leading-5 text-text"
        tabIndex={0}
      >
        {children}
      </pre>
      <Copy text={children} label="Copy the command" />
    </div>
  );
}
