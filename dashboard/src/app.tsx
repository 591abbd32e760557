import { Redirect, Route, Switch } from "wouter";
import { Layout } from "./components/layout.tsx";
import { ToastProvider } from "./components/toast.tsx";
import { NotFound } from "./pages/not-found.tsx";
import { isShown, routes } from "./routes.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";

export function App({ signInCode }: { signInCode: string | null }) {
  return (
    <SessionProvider signInCode={signInCode}>
      <ToastProvider>
        <Layout>
          <Pages />
        </Layout>
      </ToastProvider>
    </SessionProvider>
  );
}

function Pages() {
  const { who } = useSession();
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/dashboard" replace />
      </Route>
      {routes
        .filter((route) => isShown(route, who))
        .map(({ path, page: Page }) => (
          <Route key={path} path={path}>
            {(params) => <Page key={JSON.stringify(params)} {...toParams(params)} />}
          </Route>
        ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

/** A page takes the parts of its address that its path names; the others are empty texts that it does not read. */
function toParams({
  game = "",
  namespace = "",
  lobby = "",
  version = "",
}: Readonly<Record<string, string | undefined>>) {
  return { game, namespace, lobby, version };
}
