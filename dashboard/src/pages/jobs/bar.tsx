/** The query bar: says what can be asked while one types, and kindly what cannot be read. */
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { Button } from "~/components/button";
import { classes } from "~/components/classes";
import { Icon } from "~/components/icon";
import { Keys } from "~/keys/key";
import { completions, type Known, type Option } from "./completion";
import { wordAt } from "./words";

interface BarProps {
  asked: string;
  onAsk: (q: string) => void;
  known: Known;
  /** What is wrong with what was asked. */
  problem: string | undefined;
}

const NONE = -1;

export function Bar({ asked, onAsk, known, problem }: BarProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  // Where the caret goes once the text is there.
  const placed = useRef<number>(undefined);
  const [text, setText] = useState(asked);
  const [shown, setShown] = useState(asked);
  const [caret, setCaret] = useState(asked.length);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(NONE);
  if (shown !== asked) {
    // It was asked elsewhere: by a link, or by going back.
    setShown(asked);
    setText(asked);
  }
  const { word, from, to } = wordAt(text, caret);
  const options = open ? completions(word, known) : [];

  useLayoutEffect(() => {
    if (placed.current === undefined) return;
    input.current?.setSelectionRange(placed.current, placed.current);
    placed.current = undefined;
  });

  const take = ({ word: taken }: Option) => {
    // A whole word is done; one that ends in a colon or a dot goes on.
    const done = /[:.]$/.test(taken) ? taken : `${taken} `;
    const next = text.slice(0, from) + done + text.slice(to).trimStart();
    setText(next);
    setActive(NONE);
    setCaret(from + done.length);
    placed.current = from + done.length;
  };
  const ask = (q: string) => {
    setOpen(false);
    setActive(NONE);
    onAsk(q.trim());
  };

  const press = (event: KeyboardEvent) => {
    const chosen = options[active];
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        event.preventDefault();
        setOpen(true);
        setActive(step(active, event.key === "ArrowDown" ? 1 : -1, options.length));
        return;
      case "Tab":
        if (!chosen) return setOpen(false);
        event.preventDefault();
        return take(chosen);
      case "Enter":
        event.preventDefault();
        return chosen ? take(chosen) : ask(text);
      case "Escape":
        if (open && options.length > 0) {
          event.preventDefault();
          setOpen(false);
          setActive(NONE);
        } else input.current?.blur();
    }
  };

  const look = (element: HTMLInputElement) => {
    setText(element.value);
    setCaret(element.selectionStart ?? element.value.length);
  };

  return (
    <div className="flex flex-col gap-1">
      <div
        className={classes(
          "relative flex h-9 items-center gap-2 rounded-lg border bg-panel pr-1 pl-2.5 shadow-xs",
          "has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent-text",
          problem ? "border-failed" : "border-line-strong",
        )}
      >
        <Icon name="search" className="size-4 shrink-0 text-faint" />
        <input
          ref={input}
          type="search"
          role="combobox"
          aria-label="Search jobs"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-options`}
          aria-autocomplete="list"
          aria-activedescendant={active === NONE ? undefined : `${id}-${active}`}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-problem` : undefined}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={text}
          placeholder='type:email queue:mail payload.user:42 error:"timeout" age:>10m'
          onChange={(event) => {
            look(event.target);
            setOpen(true);
            setActive(NONE);
          }}
          onSelect={(event) => look(event.currentTarget)}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={press}
          // The bar around it has the ring.
          style={{ outline: "none" }}
          className="h-full min-w-0 flex-1 bg-transparent font-mono text-xs placeholder:font-sans placeholder:text-sm [&::-webkit-search-cancel-button]:hidden"
        />
        {text ? (
          <Button
            kind="ghost"
            small
            icon="close"
            aria-label="Clear the search"
            onClick={() => {
              setText("");
              ask("");
              input.current?.focus();
            }}
          />
        ) : (
          <span className="pr-1.5 max-sm:hidden">
            <Keys keys="/" />
          </span>
        )}
        <Options id={id} options={options} active={active} onTake={take} />
      </div>
      {problem && (
        <p id={`${id}-problem`} role="alert" className="px-1 text-sm text-failed">
          {problem}
        </p>
      )}
    </div>
  );
}

interface OptionsProps {
  id: string;
  options: readonly Option[];
  active: number;
  onTake: (option: Option) => void;
}

function Options({ id, options, active, onTake }: OptionsProps) {
  return (
    <div
      id={`${id}-options`}
      role="listbox"
      aria-label="What can be asked"
      hidden={options.length === 0}
      className="absolute top-full left-0 z-30 mt-1.5 flex w-full max-w-xl flex-col rounded-lg border border-line bg-raised p-1 shadow-raised not-hidden:flex"
    >
      {options.map((option, index) => (
        <div
          key={option.word}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // Before the input would lose the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            onTake(option);
          }}
          className={classes(
            "flex h-8 cursor-pointer items-center gap-3 rounded px-2 text-sm hover:bg-hover",
            index === active && "bg-hover",
          )}
        >
          <span className="shrink-0 font-mono text-xs">{option.word}</span>
          <span className="min-w-0 truncate text-xs text-faint">{option.tells}</span>
        </div>
      ))}
    </div>
  );
}

/** To the next or the one before, and over the edge to none. */
function step(active: number, by: number, length: number): number {
  const next = active + by;
  if (next < NONE) return length - 1;
  return next >= length ? NONE : next;
}
