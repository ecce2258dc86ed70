// Small schemas that several features share: ids, times, emails, roles, pages.
import { z } from "zod";

export const UserId = z.uuid().brand<"UserId">();
export type UserId = z.infer<typeof UserId>;
export const CredentialId = z.uuid().brand<"CredentialId">();
export type CredentialId = z.infer<typeof CredentialId>;
export const SessionId = z.uuid().brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;
export const SafeId = z.uuid().brand<"SafeId">();
export type SafeId = z.infer<typeof SafeId>;
export const SafeMemberId = z.uuid().brand<"SafeMemberId">();
export type SafeMemberId = z.infer<typeof SafeMemberId>;
export const GroupId = z.uuid().brand<"GroupId">();
export type GroupId = z.infer<typeof GroupId>;
export const PlatformId = z.uuid().brand<"PlatformId">();
export type PlatformId = z.infer<typeof PlatformId>;
export const AccountId = z.uuid().brand<"AccountId">();
export type AccountId = z.infer<typeof AccountId>;
export const AccessRequestId = z.uuid().brand<"AccessRequestId">();
export type AccessRequestId = z.infer<typeof AccessRequestId>;
export const AuditEntryId = z.uuid().brand<"AuditEntryId">();
export type AuditEntryId = z.infer<typeof AuditEntryId>;

/** A moment as it travels: ISO 8601, UTC, milliseconds. */
export const Moment = z.iso.datetime({ offset: false });
export type Moment = z.infer<typeof Moment>;

/** The HTML email pattern (OPEN-83), folded to lower case, because people type both. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(
    /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    "Please enter a valid email address.",
  );

/** The password of a person who signs in (SIGNUP-08). The upper limit keeps hashing bounded. */
export const Password = z.string().min(8, "Password must be at least 8 characters.").max(256);

export const ROLES = ["user", "manager", "admin"] as const;
/** Accepts `User`, `Manager` and `Admin` too, as the sign-up form names them. */
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** An optional text field: empty text counts as absent (CRED-37). */
export const optionalText = (max: number) =>
  z
    .string()
    .max(max)
    .nullish()
    .transform((text) => (text === undefined || text === null || text.trim() === "" ? null : text.trim()));

/** Keyset paging: pass `next_cursor` of one page as `cursor` of the next. */
export const pageQuery = (most: number, usual: number) => ({
  limit: z.coerce.number().int().min(1).max(most).default(usual),
  cursor: z.string().max(200).optional(),
});

export const Message = z.object({ message: z.string() });
export type Message = z.infer<typeof Message>;
