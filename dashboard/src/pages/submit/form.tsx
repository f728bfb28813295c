/** One job to be submitted: its payload, how it shall run, and the button. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState, type FormEvent } from "react";
import { api } from "~/api/client";
import type { Job, JobType } from "~/api/shapes";
import { Button } from "~/components/button";
import { words } from "~/components/failure";
import { Panel } from "~/components/panel";
import { say } from "~/components/toast";
import { NO_OPTIONS, OptionFields, told, type Options } from "./options";
import { parsed, PayloadEditor } from "./payload";
import { asked, blank } from "./shape";

interface FormProps {
  type: JobType;
  /** The job that is edited and run again, if it is one. */
  from: Job | undefined;
}

export function SubmitForm({ type, from }: FormProps) {
  const fields = useMemo(() => asked(type.payload_schema), [type]);
  const [text, setText] = useState(() => JSON.stringify(from?.payload ?? blank(fields), null, 2));
  const [options, setOptions] = useState<Options>({ ...NO_OPTIONS, name: from?.name ?? "" });
  const go = useNavigate();
  const submitting = useMutation({
    mutationFn: () => submit(type.type, from, parsed(text), options),
    onSuccess: ({ id }) => {
      say("Submitted");
      return go({ to: "/jobs/$jobId", params: { jobId: id } });
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    submitting.mutate();
  };
  return (
    <form onSubmit={send} className="grid items-start gap-4 xl:grid-cols-2">
      <Panel title="Payload">
        {type.description && (
          <p className="mb-3 text-sm whitespace-pre-line text-soft">{type.description}</p>
        )}
        <PayloadEditor fields={fields} text={text} onChange={setText} />
      </Panel>
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="How it shall run">
          <OptionFields type={type} options={options} onChange={setOptions} />
        </Panel>
        {type.workers === 0 && (
          <p className="text-sm text-warning">
            No live worker knows {type.type}: the job will wait until one comes.
          </p>
        )}
        {submitting.isError && (
          <p role="alert" className="text-sm text-failed wrap-anywhere">
            {words(submitting.error)}
          </p>
        )}
        <Button
          type="submit"
          kind="primary"
          className="self-start"
          busy={submitting.isPending}
          disabled={parsed(text) === undefined}
        >
          {from ? "Run again like this" : "Submit"}
        </Button>
      </div>
    </form>
  );
}

function submit(
  type: string,
  from: Job | undefined,
  payload: unknown,
  options: Options,
): Promise<{ id: string }> {
  const body = { payload, ...told(options) };
  return from
    ? api.post("/jobs/{job_id}/replay", { path: { job_id: from.id }, body })
    : api.post("/jobs", { body: { type, ...body } });
}
