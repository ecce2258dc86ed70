// Safes, members and groups for tests, created through the real calls.
import { addGroupMember, addSafeMember, createGroup, createSafe, updateSafe } from "@strongroom/contract";
import type { Group, InputOf, Safe, SafeMember, SafePermission } from "@strongroom/contract";
import { firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import type { TestApp } from "./test-app.ts";

type SafeFields = Partial<NonNullable<InputOf<typeof createSafe>["body"]> & Pick<Safe, "status">>;
type MemberFields = NonNullable<InputOf<typeof addSafeMember>["body"]>;
type GroupFields = Partial<NonNullable<InputOf<typeof createGroup>["body"]>>;

let count = 0;

/** A private safe of this user, unless the fields say otherwise. */
export async function aSafe(app: TestApp, owner: TestPerson, fields: SafeFields = {}): Promise<Safe> {
  count += 1;
  const { status, ...body } = { name: `Safe ${count}`, ...fields };
  const made = await app.call(createSafe, { body, as: owner.token });
  if (made.status !== 201) throw new Error(made.text);
  if (status === undefined) return made.body;
  const changed = await app.call(updateSafe, {
    params: { id: made.body.id },
    body: { name: body.name, description: body.description ?? null, status },
    as: owner.token,
  });
  if (changed.status !== 200) throw new Error(changed.text);
  return changed.body;
}

/** Adds a member as the owner: with a predefined role, or with these permissions. */
export async function aMember(
  app: TestApp,
  owner: TestPerson,
  safe: Pick<Safe, "id">,
  who: TestPerson | Pick<Group, "id" | "kind">,
  what: MemberFields["role"] | readonly SafePermission[],
  expires_at?: string,
): Promise<SafeMember> {
  const principal = "kind" in who ? { group_id: who.id } : { user_id: who.id };
  const standing = typeof what === "string" ? { role: what } : { role: "custom" as const, permissions: [...what] };
  const body = { ...principal, ...standing, expires_at };
  const reply = await app.call(addSafeMember, { params: { id: safe.id }, body, as: owner.token });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body;
}

/** A group of these users, created by the first administrator. */
export async function aGroup(app: TestApp, people: readonly TestPerson[], fields: GroupFields = {}): Promise<Group> {
  const admin = await firstAdmin(app);
  count += 1;
  const made = await app.call(createGroup, { body: { name: `Group ${count}`, ...fields }, as: admin.token });
  if (made.status !== 201) throw new Error(made.text);
  for (const { id } of people) {
    const params = { id: made.body.id };
    const added = await app.call(addGroupMember, { params, body: { user_id: id }, as: admin.token });
    if (added.status !== 201) throw new Error(added.text);
  }
  return { ...made.body, member_count: people.length };
}
