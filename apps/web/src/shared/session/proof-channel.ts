// Notifies the other windows of this browser that a step-up through a provider was completed.

const CHANNEL = "strongroom.proved";

/** Carries no data: the server decides whether a session is re-authenticated. */
export function announceProof(): void {
  const channel = new BroadcastChannel(CHANNEL);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin alone
  channel.postMessage(null);
  channel.close();
}

/** Returns a function that unsubscribes. */
export function onProof(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", listener);
  return () => channel.close();
}
