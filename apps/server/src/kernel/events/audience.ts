// Who may see an event: decided by whoever publishes it, checked for every reader.

/** `users` and `roles` add up: a reader who is in either sees the event. */
export type Audience = "everyone" | { readonly users?: readonly string[]; readonly roles?: readonly string[] };

export interface Reader {
  readonly userId: string;
  readonly role: string;
  /** They receive only events that name them. */
  readonly isPending: boolean;
}

export function mayBeSeenBy(audience: Audience, reader: Reader): boolean {
  if (reader.isPending) return audience !== "everyone" && audience.users?.includes(reader.userId) === true;
  if (audience === "everyone") return true;
  return (audience.users?.includes(reader.userId) ?? false) || (audience.roles?.includes(reader.role) ?? false);
}
