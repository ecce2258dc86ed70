// The secret that a row is about: its name with a link, and its target.
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import rows from "./rows.module.css";
import { secretPath } from "./secret-path.ts";
import { loginText, type LoginParts } from "#shared/runs/login-text.ts";

export interface SecretLineProps {
  secret: LoginParts & { account_id: string; is_account: boolean; account_name: string };
  /** Text after the target. */
  more?: string | undefined;
}

export function SecretLine({ secret, more }: SecretLineProps) {
  return (
    <>
      <p className={rows.name}>
        <Anchor component={Link} to={secretPath(secret)} c="inherit" inherit>
          {secret.account_name}
        </Anchor>
      </p>
      <p className={rows.detail}>
        {loginText(secret)}
        {more !== undefined && ` · ${more}`}
      </p>
    </>
  );
}
