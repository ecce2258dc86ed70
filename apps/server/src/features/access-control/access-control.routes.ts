// Binds the calls about who has what, and what would change.
import {
  listAccessPeople,
  listAccessSafes,
  listPersonAccounts,
  listPersonSafes,
  previewAccessChange,
  readAccessPerson,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { findAccountsOf, findPeople, findSafesInto, findSafesOf, readOne } from "./access-control.ts";
import { preview } from "./rehearse.ts";
import type { Rehearsed } from "./rehearse.ts";

export function bindAccessControl(site: Rehearsed): void {
  const { kernel } = site;
  implement(kernel, listAccessPeople, findPeople);
  implement(kernel, readAccessPerson, readOne);
  implement(kernel, listPersonSafes, findSafesOf);
  implement(kernel, listPersonAccounts, findAccountsOf);
  implement(kernel, listAccessSafes, findSafesInto);
  implementInSteps(kernel, previewAccessChange, (call) => preview(site, call));
}
