// The areas that this version does not include: each its heading and one honest sentence (PLACE-01 to PLACE-03).
import type { RouteObject } from "react-router";
import { PlaceholderPage } from "#shared/ui/placeholder-page.tsx";
import { paths } from "./paths.ts";

const area = (path: string, title: string, purpose: string): RouteObject => ({
  path,
  element: <PlaceholderPage title={title} sentence={`${purpose}; this version does not include it.`} />,
});

export const unbuiltAreas: readonly RouteObject[] = [
  area(paths.sessions, "Session Monitoring", "Watch privileged sessions and what is done in them"),
  area(paths.certificates, "Certificates", "Manage SSL/TLS certificates and track expiry"),
];
