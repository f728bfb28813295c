/** One message: its text, how it would look, its headers and its source. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { address } from "~/api/client";
import { mail } from "~/api/mail";
import type { Mail } from "~/api/shapes";
import { buttonLook } from "~/components/button";
import { Failure } from "~/components/failure";
import { Icon } from "~/components/icon";
import { Skeletons } from "~/components/skeleton";
import { Tabs, type Tab } from "~/components/tabs";
import { Time } from "~/components/time";
import { bytes } from "~/components/words";

type View = "text" | "html" | "headers";

export function Message({ id }: { id: string }) {
  const message = useQuery(mail.one(id));
  if (message.isLoadingError) return <Failure error={message.error} />;
  if (!message.data) return <Skeletons />;
  return <Opened message={message.data} />;
}

function Opened({ message }: { message: Mail }) {
  const [view, setView] = useState<View>(message.text === null && message.html ? "html" : "text");
  return (
    <article className="flex min-h-0 flex-col overflow-y-auto rounded-lg border border-line bg-panel">
      <header className="flex flex-wrap items-start gap-2 px-4 pt-3 pb-2">
        <div className="min-w-0 flex-1">
          <h2 className="text-lg wrap-anywhere">{message.subject || "(no subject)"}</h2>
          <p className="text-sm text-soft wrap-anywhere">
            {message.sender} → {message.recipients.join(", ")}
          </p>
          <p className="text-xs text-faint">
            <Time at={message.at} exact /> · {bytes(message.size)}
          </p>
        </div>
        <a
          href={address("/mail/{mail_id}/raw", { path: { mail_id: message.id } }).href}
          download={`${message.id}.eml`}
          className={buttonLook("plain", true)}
        >
          <Icon name="download" />
          Source
        </a>
      </header>
      <div className="px-4">
        <Tabs label="Views of the message" tabs={tabs(message)} active={view} onChange={setView}>
          <div className="py-3">
            <Shown message={message} view={view} />
          </div>
        </Tabs>
      </div>
      {message.problem && (
        <p role="alert" className="px-4 pb-3 text-sm text-warning">
          {message.problem}
        </p>
      )}
      <Files message={message} />
    </article>
  );
}

function tabs(message: Mail): Tab<View>[] {
  return [
    ...(message.text === null ? [] : [{ key: "text" as const, title: "Text" }]),
    ...(message.html === null ? [] : [{ key: "html" as const, title: "HTML source" }]),
    { key: "headers", title: "Headers" },
  ];
}

function Shown({ message, view }: { message: Mail; view: View }) {
  if (view === "headers") return <Headers message={message} />;
  const text = view === "html" ? message.html : message.text;
  return (
    <pre className="font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
      {text ?? ""}
    </pre>
  );
}

function Headers({ message }: { message: Mail }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 font-mono text-xs">
      {message.headers.map(({ name, value }) => (
        <div key={`${name}: ${value}`} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Files({ message }: { message: Mail }) {
  if (message.attachments.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="mt-auto flex flex-wrap gap-2 border-t border-line p-3">
      {message.attachments.map(({ name, media_type, size }) => (
        <li
          key={`${name} ${media_type} ${size}`}
          className="rounded-md border border-line px-2 py-1 text-xs text-soft"
        >
          {name ?? media_type} · {bytes(size)}
        </li>
      ))}
    </ul>
  );
}
