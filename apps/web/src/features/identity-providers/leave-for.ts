// Leaves the app for a provider's page.

let go = (url: string): void => globalThis.location.assign(url);

/** Only to web addresses: what a provider says of itself is never run as a script. */
export function leaveFor(url: string): void {
  requireWebAddress(url);
  go(url);
}

/** Throws for an address that is not a web page. */
export function requireWebAddress(url: string): void {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "https:" && protocol !== "http:") throw new Error("The provider's address is not usable.");
}

/** For tests, whose browser goes nowhere. */
export function replaceLeaving(by: (url: string) => void): void {
  go = by;
}
