// A page whose area is not part of this installation yet: its heading and one honest sentence.
import { PageHeader } from "./page-header.tsx";

export interface PlaceholderPageProps {
  title: string;
  sentence: string;
}

export function PlaceholderPage({ title, sentence }: PlaceholderPageProps) {
  return <PageHeader title={title} subtitle={sentence} />;
}
