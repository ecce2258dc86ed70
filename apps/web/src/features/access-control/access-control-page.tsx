// Access Control (PLACE-02): who has which role and where, what would change if, and reviews of who still needs it.
import type { Role } from "@strongroom/contract";
import { useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { ChangeTab } from "./change-tab.tsx";
import { PeopleTab } from "./people-tab.tsx";
import { PersonAccess } from "./person-access.tsx";
import { ReviewDetail } from "./review-detail.tsx";
import { ReviewsTab } from "./reviews-tab.tsx";
import { ThingsTab } from "./things-tab.tsx";

type AccessTab = "people" | "things" | "change" | "reviews";

const LABELS: Record<AccessTab, string> = {
  people: "People",
  things: "Things",
  change: "What would change",
  reviews: "Reviews",
};

/** Others than managers and administrators come here to review. */
const tabsFor = (role: Role): readonly [AccessTab, ...AccessTab[]] =>
  role === "user" ? ["reviews"] : ["people", "things", "change", "reviews"];

export default function AccessControlPage() {
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
        {tab === "people" && (person === null ? <PeopleTab /> : <PersonAccess key={person} id={person} />)}
        {tab === "things" && <ThingsTab />}
        {tab === "change" && <ChangeTab isAdmin={role === "admin"} />}
        {tab === "reviews" &&
          (review === null ? <ReviewsTab isAdmin={role === "admin"} /> : <ReviewDetail key={review} id={review} />)}
      </PageTabs>
    </>
  );
}
