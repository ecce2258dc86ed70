// A link to an account by its name, if the caller can see it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { accountDetail } from "../accounts.queries.ts";

export function AccountLink({ id }: { id: string }) {
  const { data, isError } = useQuery(accountDetail(id));
  if (isError) return <span>an account that you cannot see</span>;
  return <Link to={paths.account(id)}>{data?.name ?? "Account"}</Link>;
}
