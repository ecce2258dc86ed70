// The state that the parts of a running search for files share.
import type { Client } from "ssh2";
import type { Attempt } from "../../attempt.ts";
import type { FileReader, FileSearch, ReadLimit, Unread } from "../../file-search.ts";

/** A search that is running on a host. */
export interface Reading {
  client: Client;
  search: FileSearch;
  reader: FileReader;
  current: Attempt;
  unread: Unread;
  /** Ends the reading early, without an error. */
  limit: ReadLimit | null;
  /** Waits while the host is busy, and reports whether the time is over. */
  isOver(): Promise<boolean>;
}
