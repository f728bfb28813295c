/** How much of something is in use. */
import { classes } from "./classes";

type Tone = "accent" | "completed" | "warning" | "failed";

interface MeterProps {
  label: string;
  value: number;
  most: number;
  /** What is said in place of the bare numbers. */
  text?: string;
  tone?: Tone;
}

const TONES: Record<Tone, string> = {
  accent: "bg-accent",
  completed: "bg-completed",
  warning: "bg-warning",
  failed: "bg-failed",
};

export function Meter({ label, value, most, text, tone = "accent" }: MeterProps) {
  const part = most > 0 ? Math.min(Math.max(value / most, 0), 1) : 0;
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuetext={text ?? `${value} of ${most}`}
      data-meter
      className="h-1.5 w-full min-w-12 overflow-hidden rounded-full bg-line"
    >
      <div
        className={classes("h-full origin-left rounded-full transition-transform", TONES[tone])}
        style={{ transform: `scaleX(${part})` }}
      />
    </div>
  );
}
