/** Small pictures, drawn with the colour of the text beside them. */

// Each is a path on a field of 16 × 16, drawn with a line of 1.5.
const PATHS = {
  overview: "M2.5 9.5h3l2-6 3 10 2-4h1",
  jobs: "M2.5 4h11M2.5 8h11M2.5 12h7",
  dead: "M8 1.8 14.3 13H1.7ZM8 6v3.2M8 11.2v.1",
  queues: "M2.5 4.2h7M2.5 8h11M2.5 11.8h5M12 2.5v3.4M10 11.8h3.5",
  workers: "M3 3h4v4H3ZM9 3h4v4H9ZM3 9h4v4H3ZM9 9h4v4H9Z",
  submit: "M8 3v10M3 8h10",
  mail: "M2 4h12v8.5H2ZM2.3 4.4 8 9l5.7-4.6",
  people:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.8 13.5c.3-2.5 2-4 4.2-4s3.9 1.5 4.2 4M10.5 3a2.3 2.3 0 0 1 0 4.4M12 9.9c1.3.600 2 1.9 2.2 3.6",
  pending: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 8h.1M8 8h.1M10.5 8h.1",
  scheduled: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.5",
  running: "M8 2a6 6 0 1 1-5.6 3.9",
  completed: "M3 8.5 6.5 12 13 4.5",
  failed: "M4 4l8 8M12 4l-8 8",
  cancelled: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4",
  retrying: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  copy: "M5.5 5.5V3a.8.8 0 0 1 .8-.8H13a.8.8 0 0 1 .8.8v6.7a.8.8 0 0 1-.8.8h-2.5M3 5.5h6.7a.8.8 0 0 1 .8.8V13a.8.8 0 0 1-.8.8H3a.8.8 0 0 1-.8-.8V6.3A.8.8 0 0 1 3 5.5Z",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  left: "M10 4 6 8l4 4",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M5 3l8 5-8 5Z",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.5 9.7A6 6 0 1 1 6.3 2.5a4.7 4.7 0 0 0 7.2 7.2Z",
  screen: "M2 3h12v8H2ZM5.5 14h5",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.5",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.2v3.6M8 5v.1",
  warning: "M8 1.8 14.3 13H1.7ZM8 6v3.2M8 11.2v.1",
  leave: "M6.5 13.5H3V2.5h3.5M10.5 11l3-3-3-3M13.3 8H6.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  edit: "M10.8 2.7 13.3 5.2 5.5 13H3v-2.5Z",
  remove: "M3 4.5h10M6 4.5V2.8h4v1.7M4.5 4.5l.5 8.7h6l.5-8.7",
  link: "M6 10l4-4M6.5 4.5 8.3 2.7a3.5 3.5 0 0 1 5 5L11.5 9.5M9.5 11.5 7.7 13.3a3.5 3.5 0 0 1-5-5L4.5 6.5",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  keyboard: "M1.8 4h12.4v8H1.8ZM4.5 6.7h.1M7 6.7h.1M9.3 6.7h.1M11.6 6.7h.1M5 9.5h6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, className }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={className ?? "size-4 shrink-0"}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
