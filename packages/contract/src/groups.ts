// Groups of users: members of safes together; teams and departments also decide who sees whose safes.
import { z } from "zod";
import { completeBody } from "./complete-body.ts";
import { endpoint } from "./endpoint.ts";
import { GroupId, Message, Moment, UserId, pageQuery, oneLine, optionalLines } from "./fields.ts";

export const GROUP_KINDS = ["group", "team", "department"] as const;
export const GroupKind = z.enum(GROUP_KINDS);
export type GroupKind = z.infer<typeof GroupKind>;

export const Group = z.object({
  id: GroupId,
  name: z.string(),
  description: z.string().nullable(),
  kind: GroupKind,
  /** The group's members may use emergency access, which notifies every approver and is reviewed afterwards. */
  may_break_glass: z.boolean(),
  member_count: z.number().int(),
  created_at: Moment,
});
export type Group = z.infer<typeof Group>;

const NAME_LENGTH = "Group name must be 2 to 100 characters";
export const NewGroup = z.strictObject({
  name: oneLine().min(2, NAME_LENGTH).max(100, NAME_LENGTH),
  description: optionalLines(500),
  kind: GroupKind.default("group"),
  may_break_glass: z.boolean().default(false),
});
export type NewGroup = z.infer<typeof NewGroup>;

const byId = z.object({ id: GroupId });

export const listGroups = endpoint({
  method: "GET",
  path: "/api/v1/groups",
  summary: "Groups, by name",
  query: z.object({ ...pageQuery(500, 100), search: z.string().trim().max(100).optional() }),
  reply: z.object({ groups: z.array(Group), next_cursor: z.string().nullable() }),
  needs: "group.read",
  audit: "none",
});

export const createGroup = endpoint({
  method: "POST",
  path: "/api/v1/groups",
  summary: "Create a group",
  body: NewGroup,
  reply: Group,
  status: 201,
  needs: "group.manage",
  audit: "group.created",
  gives: "right",
  stepUp: true,
  givesByToken: "group.manage",
});

export const updateGroup = endpoint({
  method: "PUT",
  path: "/api/v1/groups/:id",
  summary: "Change a group",
  params: byId,
  body: completeBody(NewGroup, { entity: Group, fixed: ["id", "created_at"] }),
  reply: Group,
  needs: "group.manage",
  audit: "group.updated",
  gives: "right",
  stepUp: true,
  givesByToken: "group.manage",
  thing: "group",
});

export const deleteGroup = endpoint({
  method: "DELETE",
  path: "/api/v1/groups/:id",
  summary: "Delete a group; permissions and grants that depend on it end immediately",
  params: byId,
  reply: Message,
  needs: "group.manage",
  audit: "group.deleted",
  gives: "nothing",
  thing: "group",
});

export const GroupMember = z.object({ user_id: UserId, name: z.string(), email: z.string(), added_at: Moment });
export type GroupMember = z.infer<typeof GroupMember>;

export const listGroupMembers = endpoint({
  method: "GET",
  path: "/api/v1/groups/:id/members",
  summary: "The members of a group, by name",
  params: byId,
  query: z.object(pageQuery(500, 100)),
  reply: z.object({ members: z.array(GroupMember), next_cursor: z.string().nullable() }),
  needs: "group.read",
  audit: "none",
});

export const addGroupMember = endpoint({
  method: "POST",
  path: "/api/v1/groups/:id/members",
  summary: "Add a person to a group",
  params: byId,
  body: z.strictObject({ user_id: UserId }),
  reply: GroupMember,
  status: 201,
  needs: "group.manage",
  audit: "group.member-added",
  gives: "right",
  stepUp: true,
  givesByToken: "group.manage",
  thing: "group",
});

export const removeGroupMember = endpoint({
  method: "DELETE",
  path: "/api/v1/groups/:id/members/:user_id",
  summary: "Remove a person from a group; permissions and grants that depend on it end immediately",
  params: z.object({ id: GroupId, user_id: UserId }),
  reply: Message,
  needs: "group.manage",
  audit: "group.member-removed",
  gives: "nothing",
  thing: "group",
});
