// Everything the server and the browser agree on.
export * from "./audit.ts";
export * from "./cpm.ts";
export * from "./credential-types.ts";
export * from "./credentials.ts";
export * from "./dashboard.ts";
export * from "./endpoint.ts";
export * from "./events.ts";
export * from "./fields.ts";
export * from "./health.ts";
export * from "./permission.ts";
export * from "./preferences.ts";
export * from "./problem.ts";
export * from "./seal.ts";
export * from "./sign-in.ts";
export * from "./users.ts";
export * from "./verification.ts";
