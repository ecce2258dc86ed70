// The server of the repositories, over HTTPS or SSH.
import type { Failure } from "../connector.ts";

export interface GitSource {
  /** `host:port`, for messages. */
  where: string;
  /** Paths such as `team/app.git`. */
  repositories: readonly string[];
  /** Starts the proxy, which passes on at most `maxBytes` of answers in total. */
  startProxy(maxBytes: number): Promise<GitProxy>;
  /** Everybody may read the repository. */
  isPublic(repository: string): Promise<boolean>;
  /** JSON-safe observations, such as the host key. */
  facts: Readonly<Record<string, unknown>>;
}

/** A port of this machine, the only one that the git program reaches. It never has the secret. */
export interface GitProxy {
  protocol: "http" | "git";
  /** Settings of git, such as the header with the token that keeps other users of this machine from using the port. */
  settings: readonly (readonly [string, string])[];
  urlOf(repository: string): string;
  /** The last failure, or `bytes` for the limit; null without one. Forgets it. */
  takeFailure(): Failure | "bytes" | null;
  close(): void;
}
