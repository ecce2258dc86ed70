// Access Control (PLACE-02): users' roles and access, access to resources, change previews and access reviews.
import type { Role } from "@strongroom/contract";
import { useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import type { PersonDialog } from "#shared/ui/person-dialog.ts";
import { ChangeTab } from "./preview/change-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import { PersonAccess } from "./person-access.tsx";
import { ReviewDetail } from "./reviews/review-detail.tsx";
import { ReviewsTab } from "./reviews/reviews-tab.tsx";
import { ResourcesTab } from "./resources-tab.tsx";

type AccessTab = "people" | "things" | "change" | "reviews";

const LABELS: Record<AccessTab, string> = {
  people: "People",
  things: "Resources",
  change: "Change Preview",
  reviews: "Reviews",
};

/** Users below the manager role see only their reviews. */
const tabsFor = (role: Role): readonly [AccessTab, ...AccessTab[]] =>
  role === "user" ? ["reviews"] : ["people", "things", "change", "reviews"];

export interface AccessControlPageProps {
  /** Shows the API tokens of a user. */
  TokensDialog: PersonDialog;
}

export function AccessControlPage({ TokensDialog }: AccessControlPageProps) {
  const { role } = useUser();
  const [params, setParams] = useSearchParams();
  const tabs = tabsFor(role);
  const tab = choiceOf(params, "tab", tabs);
  const person = params.get("person");
  const review = params.get("review");
  return (
    <>
      <PageHeader title="Access Control" subtitle="Configure role-based access policies" />
      <PageTabs<AccessTab>
        label="Access Control"
        tabs={tabs.map((value) => ({ value, label: LABELS[value], count: undefined }))}
        value={tab}
        onChange={(next) => setParams(next === tabs[0] ? {} : { tab: next })}
      >
        {tab === "people" &&
          (person === null ? <PeopleTab /> : <PersonAccess key={person} id={person} TokensDialog={TokensDialog} />)}
        {tab === "things" && <ResourcesTab />}
        {tab === "change" && <ChangeTab isAdmin={role === "admin"} />}
        {tab === "reviews" &&
          (review === null ? <ReviewsTab isAdmin={role === "admin"} /> : <ReviewDetail key={review} id={review} />)}
      </PageTabs>
    </>
  );
}
