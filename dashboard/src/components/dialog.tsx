/** A question or a form above the page. The browser itself keeps the focus inside, and Escape closes it. */
import { useEffect, useId, useRef, type ReactNode } from "react";
import { Button } from "./button";
import { classes } from "./classes";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** The buttons at its foot. */
  foot?: ReactNode;
  wide?: boolean;
}

export function Dialog({ open, onClose, title, children, foot, wide = false }: DialogProps) {
  const id = useId();
  return (
    <Sheet open={open} onClose={onClose} labelledBy={id} wide={wide}>
      <header className="flex items-center gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 id={id} className="min-w-0 flex-1 truncate text-base">
          {title}
        </h2>
        <Button kind="ghost" small icon="close" aria-label="Close" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
      {foot && <footer className="flex justify-end gap-2 border-t border-line p-3">{foot}</footer>}
    </Sheet>
  );
}

interface SheetProps {
  open: boolean;
  onClose: () => void;
  labelledBy?: string;
  label?: string;
  wide?: boolean;
  /** At the top of the window, for what grows while one types. */
  top?: boolean;
  children: ReactNode;
}

/** A dialog without any looks inside. */
export function Sheet({
  open,
  onClose,
  labelledBy,
  label,
  wide = false,
  top = false,
  children,
}: SheetProps) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    if (!dialog || !open) return;
    dialog.showModal();
    return () => dialog.close();
  }, [open]);
  if (!open) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape does it by keyboard
    <dialog
      ref={place}
      aria-labelledby={labelledBy}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      className={classes(
        "max-h-[min(44rem,90dvh)] w-[calc(100vw-2rem)] flex-col overflow-hidden rounded-xl border border-line bg-raised text-text shadow-raised open:flex",
        wide ? "max-w-3xl" : "max-w-lg",
        top && "mt-[12dvh]",
      )}
    >
      {children}
    </dialog>
  );
}
