// Redirects the browser to a provider's page.

let go = (url: string): void => globalThis.location.assign(url);

/** Only to web addresses, so that a provider's response can never run as a script. */
export function navigateAway(url: string): void {
  requireWebAddress(url);
  go(url);
}

/** Throws for an address that is not http or https. */
export function requireWebAddress(url: string): void {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "https:" && protocol !== "http:") throw new Error("The provider's address is not usable.");
}

/** Replaces the redirect in tests, where the browser cannot navigate. */
export function replaceAway(by: (url: string) => void): void {
  go = by;
}
