// The audience of an event. Its publisher sets the audience, and it is checked for every reader.

/** A reader can see the event if `users` or `roles` includes them. */
export type Audience = "everyone" | { readonly users?: readonly string[]; readonly roles?: readonly string[] };

export interface Reader {
  readonly userId: string;
  readonly role: string;
  /** Pending users receive only events that name them. */
  readonly isPending: boolean;
}

export function mayBeSeenBy(audience: Audience, reader: Reader): boolean {
  if (reader.isPending) return audience !== "everyone" && audience.users?.includes(reader.userId) === true;
  if (audience === "everyone") return true;
  return (audience.users?.includes(reader.userId) ?? false) || (audience.roles?.includes(reader.role) ?? false);
}
