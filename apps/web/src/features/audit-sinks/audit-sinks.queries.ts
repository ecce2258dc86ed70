// Queries and mutations of the Integrations page.
import {
  addWitnessedLog,
  createAuditSink,
  deleteAuditSink,
  listAuditSinks,
  readWitness,
  removeWitnessedLog,
  switchAuditSink,
  testAuditSink,
  updateAuditSink,
  type AuditSinkId,
  type InputOf,
} from "@strongroom/contract";
import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";

export type NewSinkFields = NonNullable<InputOf<typeof createAuditSink>["body"]>;
export type ChangedSinkFields = NonNullable<InputOf<typeof updateAuditSink>["body"]>;

/** Milliseconds. A sink's progress changes on the server, so it is polled. */
const REFRESH_MS = 4_000;

export const sinkList = { ...queryOf(listAuditSinks, {}, { isBackground: true }), refetchInterval: REFRESH_MS };
export const witness = { ...queryOf(readWitness, {}, { isBackground: true }), refetchInterval: REFRESH_MS * 3 };

const at = (id: string) => ({ params: { id: id as AuditSinkId } });

const changing = <Input, Result>(client: QueryClient, send: (input: Input) => Promise<Result>) =>
  mutationOptions({ mutationFn: send, onSettled: () => invalidatePath(client, "/api/v1/audit") });

export const creation = (client: QueryClient) =>
  changing(client, (body: NewSinkFields) => call(createAuditSink, { body }));
export const edit = (client: QueryClient, id: string) =>
  changing(client, (body: ChangedSinkFields) => call(updateAuditSink, { ...at(id), body }));
export const switching = (client: QueryClient, id: string) =>
  changing(client, (is_enabled: boolean) => call(switchAuditSink, { ...at(id), body: { is_enabled } }));
export const sinkTest = (client: QueryClient, id: string) => changing(client, () => call(testAuditSink, at(id)));
export const deletion = (client: QueryClient, id: string) => changing(client, () => call(deleteAuditSink, at(id)));

export const logAddition = (client: QueryClient) =>
  changing(client, (body: { name: string; verifier_key: string }) => call(addWitnessedLog, { body }));
export const logRemoval = (client: QueryClient, id: string) =>
  changing(client, () => call(removeWitnessedLog, { params: { id: id } }));
