/** There is no such page. */
import { Link } from "@tanstack/react-router";
import { buttonLook } from "~/components/button";
import { Empty } from "~/components/empty";

export function Lost() {
  return (
    <main>
      <Empty icon="search" title="There is no such page">
        <p>The address may be mistyped, or of another version.</p>
        <Link to="/" className={`${buttonLook()} mt-4`}>
          Go to the overview
        </Link>
      </Empty>
    </main>
  );
}
