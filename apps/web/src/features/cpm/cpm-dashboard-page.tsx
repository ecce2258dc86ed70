// The credential manager's dashboard.
import { PageHeader } from "#shared/ui/page-header.tsx";

export default function CpmDashboardPage() {
  return <PageHeader title="CPM Dashboard" subtitle="Credential Protection Management System Status" />;
}
