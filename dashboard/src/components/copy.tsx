/** Copies something, and says that it did. */
import { useEffect, useState } from "react";
import { Button } from "./button";

const SAID_FOR = 1_500;

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_FOR);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <Button
        kind="ghost"
        small
        icon={copied ? "completed" : "copy"}
        aria-label={label}
        title={label}
        onClick={() => void put(text).then(setCopied)}
      />
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </>
  );
}

/** Whether it could be copied; without https a browser has no clipboard for pages. */
async function put(text: string): Promise<boolean> {
  if (!navigator.clipboard) return putByHand(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => putByHand(text),
  );
}

function putByHand(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "fixed opacity-0";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
