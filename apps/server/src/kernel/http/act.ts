// What a use case needs of a call, so that another feature can do the same in a transaction of its own.
import type { Endpoint } from "@strongroom/contract";
import type { Call } from "./call.ts";

export type Act<E extends Endpoint> = Pick<Call<E>, "actor" | "params" | "body" | "note">;
