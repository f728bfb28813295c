/** Numbers, spans and times in words. */
import type { Zone } from "~/theme/choices";

// A browser without a language has one that Intl refuses, as en-US@posix.
export const LANGUAGE = language(navigator.language);
// Charts ask the browser for it themselves, and would not be drawn.
if (navigator.language !== LANGUAGE) {
  Object.defineProperty(navigator, "language", { value: LANGUAGE });
}

function language(said: string | undefined): string {
  try {
    return Intl.getCanonicalLocales(said?.replace(/@.*$/, ""))[0] ?? "en-US";
  } catch {
    return "en-US";
  }
}

const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumFractionDigits: 1 });
const few = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 });

/** 1,234,567 */
export function number(value: number): string {
  return whole.format(value);
}

/** 1.2M */
export function compact(value: number): string {
  return Math.abs(value) < 10_000 ? few.format(value) : short.format(value);
}

/** 3 jobs, 1 job */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** 17 %, or 0.3 % of what is little. */
export function percent(fraction: number): string {
  const hundredths = fraction * 100;
  return `${hundredths >= 1 ? number(hundredths) : few.format(hundredths)} %`;
}

/** 12.3/s; what is slower is told by the minute: 4/min. */
export function rate(perSecond: number): string {
  if (perSecond >= 1 || perSecond === 0) return `${compact(perSecond)}/s`;
  return `${few.format(perSecond * 60)}/min`;
}

/** 12.3 KB */
export function bytes(size: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(size, 1)) / 3), units.length - 1);
  return `${few.format(size / 1000 ** power)} ${units[power]}`;
}

// They turn text around or do not show, so that a name could pass for another. What joins letters
// and makes emoji of others is no such thing.
const HIDDEN = /(?![\n\t\r\u{e0020}-\u{e007f}]|\u200c|\u200d)[\p{Cc}\p{Cf}]/gu;

/** What somebody wrote, with whatever does not show spelled out: \u202e */
export function spelled(text: string): string {
  return text.replace(
    HIDDEN,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** A span of seconds: 40 µs, 12 ms, 3.2 s, 4 min 5 s, 2 h 3 min, 5 d 2 h. */
export function span(seconds: number): string {
  if (seconds < 0) return `−${span(-seconds)}`;
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${few.format(seconds * 1e6)} µs`;
  if (seconds < 1) return `${few.format(seconds * 1e3)} ms`;
  if (seconds < 60) return `${few.format(seconds)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 3_600) return pair(rounded, 60, "min", "s");
  if (rounded < 86_400) return pair(Math.round(rounded / 60), 60, "h", "min");
  return pair(Math.round(rounded / 3_600), 24, "d", "h");
}

function pair(value: number, per: number, large: string, small: string): string {
  const rest = value % per;
  return rest === 0
    ? `${(value - rest) / per} ${large}`
    : `${(value - rest) / per} ${large} ${rest} ${small}`;
}

/** 12 s ago, in 3 min: one unit is enough to tell how long it is. */
export function relative(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  if (Math.abs(seconds) < 1) return "now";
  const size = about(Math.abs(seconds));
  return seconds > 0 ? `${size} ago` : `in ${size}`;
}

/** A span in one unit: 40 s, 3 min, 2 h, 5 d. */
export function about(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: Zone, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(style);
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(LANGUAGE, {
      ...style,
      ...(zone === "utc" && { timeZone: "UTC" }),
    });
    formats.set(key, found);
  }
  return found;
}

/** Nov 15, 2026, 14:05:09.123 UTC */
export function absolute(at: number, zone: Zone): string {
  return format(zone, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(at);
}

/** 14:05:09 */
export function clockTime(at: number, zone: Zone): string {
  return format(zone, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(at);
}

/** 14:05 */
export function minuteOf(at: number, zone: Zone): string {
  return format(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
}

/** Nov 15 */
export function dayOf(at: number, zone: Zone): string {
  return format(zone, { month: "short", day: "numeric" }).format(at);
}
