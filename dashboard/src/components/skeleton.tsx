/** The shape of what is about to be there. */
import { classes } from "./classes";

export function Skeleton({ className = "h-4 w-full" }: { className?: string }) {
  return <div data-skeleton className={classes("animate-pulse rounded bg-hover", className)} />;
}

export function Skeletons({
  rows = 6,
  className = "h-8 w-full",
}: {
  rows?: number;
  className?: string;
}) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className={className} />
      ))}
    </div>
  );
}
