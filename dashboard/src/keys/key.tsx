/** Keys as they are printed on the keyboard. */
const MAC = navigator.platform.startsWith("Mac");

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(" ").map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-xs text-soft"
        >
          {printed(key)}
        </kbd>
      ))}
    </span>
  );
}

function printed(key: string): string {
  if (key.startsWith("mod+")) return (MAC ? "⌘" : "Ctrl ") + key.slice(4).toUpperCase();
  return { Enter: "↵", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" }[key] ?? key;
}
