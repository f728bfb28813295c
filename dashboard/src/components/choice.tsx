/** One of a few, side by side. */
import { useId } from "react";
import { classes } from "./classes";

interface ChoiceProps<K extends string> {
  label: string;
  options: readonly { key: K; title: string }[];
  chosen: K;
  onChoose: (key: K) => void;
}

export function Choice<K extends string>({ label, options, chosen, onChoose }: ChoiceProps<K>) {
  const name = useId();
  return (
    <fieldset className="flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(({ key, title }) => (
        <label
          key={key}
          className={classes(
            "flex h-7 items-center rounded px-2 text-xs font-medium whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-accent-text sm:px-2.5",
            key === chosen ? "bg-panel text-text shadow-xs" : "text-soft hover:text-text",
          )}
        >
          <input
            type="radio"
            name={name}
            checked={key === chosen}
            onChange={() => onChoose(key)}
            className="sr-only"
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
