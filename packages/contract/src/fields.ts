// Small schemas shared by several features: ids, times, emails, roles, pages.
import { z } from "zod";

export const UserId = z.uuid().brand<"UserId">();
export type UserId = z.infer<typeof UserId>;
export const CredentialId = z.uuid().brand<"CredentialId">();
export type CredentialId = z.infer<typeof CredentialId>;
export const SessionId = z.uuid().brand<"SessionId">();
export type SessionId = z.infer<typeof SessionId>;
export const TokenId = z.uuid().brand<"TokenId">();
export type TokenId = z.infer<typeof TokenId>;
/** A connection to a target; `SessionId` names a sign-in. */
export const PrivilegedSessionId = z.uuid().brand<"PrivilegedSessionId">();
export type PrivilegedSessionId = z.infer<typeof PrivilegedSessionId>;
export const GatewayId = z.uuid().brand<"GatewayId">();
export type GatewayId = z.infer<typeof GatewayId>;
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
export const RotationId = z.uuid().brand<"RotationId">();
export type RotationId = z.infer<typeof RotationId>;
export const FindingId = z.uuid().brand<"FindingId">();
export type FindingId = z.infer<typeof FindingId>;
export const OnboardingId = z.uuid().brand<"OnboardingId">();
export type OnboardingId = z.infer<typeof OnboardingId>;
export const DependentId = z.uuid().brand<"DependentId">();
export type DependentId = z.infer<typeof DependentId>;
export const AuditEntryId = z.uuid().brand<"AuditEntryId">();
export type AuditEntryId = z.infer<typeof AuditEntryId>;

/** A point in time as transferred: ISO 8601, UTC, milliseconds. */
export const Moment = z.iso.datetime({ offset: false });
export type Moment = z.infer<typeof Moment>;

/**
 * The last 24 hours, 7 or 30 days, or a start and an end with a slash between them (ISO 8601 §5.5.1); both included.
 */
export const DateRange = z
  .string()
  .max(100)
  .refine(
    (text) => isDateRange(text),
    'Use "24h", "7d", "30d" or a start and end time such as 2026-11-01T00:00:00Z/2026-11-08T00:00:00Z',
  );

function isDateRange(text: string): boolean {
  if (["24h", "7d", "30d"].includes(text)) return true;
  const [start, end, ...rest] = text.split("/").map((each) => Moment.safeParse(each));
  return (
    rest.length === 0 &&
    start?.success === true &&
    end?.success === true &&
    Date.parse(start.data) <= Date.parse(end.data)
  );
}

const MACHINE_DOMAIN = "machine.invalid";

/** The placeholder email of a machine identity; no email ever arrives there (RFC 2606), and no person can have one. */
export const machineAddress = (slug: string): string => `${slug}@${MACHINE_DOMAIN}`;

export const isMachineAddress = (address: string | null): boolean => address?.endsWith(`@${MACHINE_DOMAIN}`) === true;

/** The HTML email pattern (OPEN-83), converted to lower case, because people type both. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(
    /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    "Please enter a valid email address.",
  )
  .refine((email) => !isMachineAddress(email), "Please enter a valid email address.");

/** The password of a user's sign-in (SIGNUP-08). The upper limit bounds hashing. */
export const Password = z.string().min(8, "Password must be at least 8 characters.").max(256);

export const ROLES = ["user", "manager", "admin"] as const;
/** Accepts `User`, `Manager` and `Admin` too, as named in the sign-up form. */
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/**
 * Invisible characters that can disguise a name: control characters (including NUL), line and paragraph separators,
 * direction overrides, and characters without a width, which can make one name look like another. Joiners are not
 * among them, because scripts and emoji need them.
 */
const UNSEEN =
  /[\p{Cc}\u00ad\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0]/u;
const BREAKS = /[\t\n\r]/g;

/** Text on one line, for names: trimmed, without control characters. Add `.min()` and `.max()`. */
export const oneLine = (missing?: string) =>
  z
    .string(missing)
    .trim()
    .refine((text) => !UNSEEN.test(text), "Must be on one line, without control characters");

/** Text that may have several lines, such as a reason: otherwise as `oneLine`. */
export const manyLines = (missing?: string) =>
  z
    .string(missing)
    .trim()
    .refine((text) => !UNSEEN.test(text.replace(BREAKS, "")), "Must not contain control characters");

/** Whether percent-encoded text contains invisible characters, which reappear when it is decoded. */
export function encodesUnseen(text: string): boolean {
  if (/%(?:[01][0-9a-f]|7f)/i.test(text)) return true;
  try {
    return UNSEEN.test(decodeURIComponent(text));
  } catch {
    return false; // Not valid percent-encoding, so it is never decoded.
  }
}

/** CIDR notation. */
export const Network = z.union([z.cidrv4(), z.cidrv6()], "Must be a network such as 10.0.0.0/8 or 2001:db8::/32.");

/** The name of a user. */
export const PersonName = oneLine().min(1).max(100);

const orNull = (text: string | null | undefined) => (text === undefined || text === "" ? null : text);

/** An optional text field on one line: empty text counts as absent (CRED-37). */
export const optionalText = (max: number) => oneLine().max(max).nullish().transform(orNull);

/** An optional text field of several lines: empty text counts as absent. */
export const optionalLines = (max: number, tooLong?: string) =>
  manyLines().max(max, tooLong).nullish().transform(orNull);

/** A body that may be missing when all of its fields are optional. */
export const optionalBody = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z
    .strictObject(fields)
    .optional()
    .transform((body) => body ?? ({} as NonNullable<typeof body>));

/** Keyset paging: pass `next_cursor` of one page as `cursor` of the next. */
export const pageQuery = (most: number, usual: number) => ({
  limit: z.coerce.number().int().min(1).max(most).default(usual),
  cursor: z.string().max(600).optional(),
});

/** The order of a list: one of these fields, with `-` for the descending order. */
export const sortBy = <const Field extends string>(fields: readonly Field[]) =>
  z.enum(fields.flatMap((field) => [field, `-${field}`] as const));

/** A query parameter with several values, separated by commas. */
export const commaList = <T extends z.ZodType<string, string>>(value: T) =>
  z
    .string()
    .max(500)
    .transform((text) => text.split(",").filter((each) => each !== ""))
    .pipe(z.array(value))
    .optional();

/** Confirms who gains access by a move; see `PeopleGainingAccess`. */
export const Confirmation = z.string().max(100).optional();

export const Message = z.object({ message: z.string() });
export type Message = z.infer<typeof Message>;

export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, "Must be a domain such as example.com.");

/** An SSH host key as OpenSSH prints it: `ssh-ed25519` and `SHA256:` with unpadded base64. */
export const HostKey = z.object({ type: z.string().min(1).max(100), fingerprint: z.string().min(1).max(200) });
export type HostKey = z.infer<typeof HostKey>;
