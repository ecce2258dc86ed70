// The Access Control page, with the token dialog of the tokens feature.
import { lazy } from "react";
import { AccessControlPage } from "#features/access-control/access-control-page.tsx";

const PersonTokensDialog = lazy(() => import("#features/tokens/person-tokens-dialog.tsx"));

export default function AccessControl() {
  return <AccessControlPage TokensDialog={PersonTokensDialog} />;
}
