/** What the job is to work on: field by field, or as JSON. Both edit the same text. */
import { useState } from "react";
import { Select, TextArea, Input, Checkbox } from "~/components/field";
import { Tabs } from "~/components/tabs";
import type { Asked } from "./shape";

type View = "fields" | "json";
type Payload = Record<string, unknown>;

interface PayloadProps {
  fields: readonly Asked[];
  text: string;
  onChange: (text: string) => void;
}

export function PayloadEditor({ fields, text, onChange }: PayloadProps) {
  const [view, setView] = useState<View>("fields");
  const payload = parsed(text);
  const byField = view === "fields" && fields.length > 0 && payload !== undefined;
  const tabs = [
    { key: "fields" as const, title: "Fields" },
    { key: "json" as const, title: "JSON" },
  ];
  const put = (name: string, value: unknown) => {
    const { [name]: _, ...others } = payload ?? {};
    const changed = value === undefined ? others : { ...payload, [name]: value };
    onChange(JSON.stringify(changed, null, 2));
  };
  return (
    <Tabs
      label="How to give the payload"
      tabs={fields.length > 0 ? tabs : tabs.slice(1)}
      active={byField ? "fields" : "json"}
      onChange={setView}
    >
      <div className="flex flex-col gap-4 pt-4">
        {byField ? (
          fields.map((one) => (
            <PayloadField
              key={one.name}
              asked={one}
              value={payload[one.name]}
              onChange={(value) => put(one.name, value)}
            />
          ))
        ) : (
          <TextArea
            label="Payload"
            rows={12}
            value={text}
            error={payload === undefined ? "This is not a JSON object yet." : undefined}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </div>
    </Tabs>
  );
}

interface FieldProps {
  asked: Asked;
  value: unknown;
  onChange: (value: unknown) => void;
}

function PayloadField({ asked, value, onChange }: FieldProps) {
  const plain = {
    label: asked.required ? asked.name : `${asked.name} (optional)`,
    hint: asked.hint,
  };
  switch (asked.kind) {
    case "boolean":
      return (
        <Checkbox
          label={asked.name}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case "choice":
      return (
        <Select
          {...plain}
          value={typeof value === "string" ? value : ""}
          required={asked.required}
          onChange={(event) => onChange(event.target.value || undefined)}
        >
          <option value="">{asked.otherwise ?? "Choose one"}</option>
          {asked.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </Select>
      );
    case "number":
      return (
        <Input
          {...plain}
          type="number"
          step="any"
          required={asked.required}
          placeholder={asked.otherwise}
          value={typeof value === "number" ? value : ""}
          onChange={(event) =>
            onChange(event.target.value === "" ? undefined : event.target.valueAsNumber)
          }
        />
      );
    case "text":
      return (
        <Input
          {...plain}
          required={asked.required}
          placeholder={asked.otherwise}
          value={typeof value === "string" ? value : ""}
          onChange={(event) =>
            onChange(event.target.value === "" && !asked.required ? undefined : event.target.value)
          }
        />
      );
    case "json":
      return <JsonField {...plain} asked={asked} value={value} onChange={onChange} />;
  }
}

/** What has no simpler form; text that is no JSON is taken for a string. */
function JsonField({ asked, value, onChange, ...plain }: FieldProps & { label: string }) {
  const [text, setText] = useState(() => written(value));
  return (
    <TextArea
      {...plain}
      rows={2}
      placeholder={asked.otherwise ?? "as JSON, or plain text"}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(read(event.target.value));
      }}
    />
  );
}

function written(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function read(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The object that a text is; undefined if it is none. */
export function parsed(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Payload)
      : undefined;
  } catch {
    return undefined;
  }
}
