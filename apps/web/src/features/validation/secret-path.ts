// Where a stored secret has its page: an account, or a credential of one's own.
import { paths } from "#app/paths.ts";

export const secretPath = ({ account_id: id, is_account: isAccount }: { account_id: string; is_account: boolean }) =>
  isAccount ? paths.account(id) : paths.credential(id);
