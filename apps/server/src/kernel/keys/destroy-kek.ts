// Destroys a key-encryption key: data sealed under it can never be opened again.
import type { Tx } from "../db/database.ts";
import type { Events, NewEvent } from "../events/events.ts";

const TYPE = "seal.key-destroyed";

/** Destroys the key of this purpose if it exists: in the database now, and in every process when `tx` commits. */
export async function destroyKek(tx: Tx, events: Events, purpose: string): Promise<void> {
  const rows = await tx.deleteFrom("keks").where("purpose", "=", purpose).returning("id").execute();
  await events.publish(tx, ...rows.map(({ id }) => keyDestroyed(id)));
}

/** Readers of the event stream cannot see this event. */
const keyDestroyed = (id: string): NewEvent => ({ type: TYPE, audience: { users: [] }, data: { kek_id: id } });

/** The id of the key that an event reports as destroyed; null for other events. */
export function destroyedKekOf({ type, data }: Pick<NewEvent, "type" | "data">): string | null {
  return type === TYPE && typeof data["kek_id"] === "string" ? data["kek_id"] : null;
}
