// The path of a secret's page: an account, or one of the user's own credentials.
import { paths } from "#shared/paths.ts";

export const secretPath = ({ account_id: id, is_account: isAccount }: { account_id: string; is_account: boolean }) =>
  isAccount ? paths.account(id) : paths.credential(id);
