/** The list of keys that do something here. */
import { Dialog } from "~/components/dialog";
import { Keys } from "./key";
import { useBindings } from "./keys";

export function Help({ open, onClose }: { open: boolean; onClose: () => void }) {
  const bindings = useBindings();
  const last = new Map(bindings.map((one) => [one.keys, one.does]));
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <dl className="grid grid-cols-1 gap-x-8 gap-y-2 sm:grid-cols-2">
        {[...last].map(([keys, does]) => (
          <div key={keys} className="flex items-center justify-between gap-3 text-sm">
            <dt className="text-soft">{does}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
