import { Link } from "wouter";
import { paths } from "../addresses.ts";
import { Empty, PageHead } from "../components/parts.tsx";

export function NotFound() {
  return (
    <>
      <PageHead title="No page here" />
      <Empty title="This address leads to no page">
        <p>It may be misspelt, or your token may not see it.</p>
        <p>
          <Link href={paths.root}>All games</Link>
        </p>
      </Empty>
    </>
  );
}
