/** Nothing was ever submitted: how to begin. */
import { Link } from "@tanstack/react-router";
import { ROOT } from "~/api/client";
import { buttonLook } from "~/components/button";
import { Empty } from "~/components/empty";

const JOB = '{"type": "add_numbers", "payload": {"x": 2, "y": 3}}';

export function First() {
  const url = new URL("jobs", ROOT).href;
  return (
    <Empty
      icon="submit"
      title="No job was ever submitted here"
      command={`curl ${url} -H 'Content-Type: application/json' \\\n    -d '${JOB}'`}
    >
      <p>Submit the first one, and watch it run:</p>
      <Link to="/submit" className={`${buttonLook("primary")} mt-3`}>
        Submit a job
      </Link>
      <p className="mt-3">or from a terminal:</p>
    </Empty>
  );
}
