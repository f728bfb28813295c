/** A number: short at a glance, whole when one points at it. */
import { compact, number } from "./words";

export function Number({
  value,
  whole = false,
}: {
  value: number | null | undefined;
  whole?: boolean;
}) {
  if (value === null || value === undefined) return <span className="text-faint">–</span>;
  const shown = whole ? number(value) : compact(value);
  return <span title={shown === number(value) ? undefined : number(value)}>{shown}</span>;
}
