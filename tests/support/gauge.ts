/** The value of a metric without labels, from the metrics of the service in this test. */
export async function readGauge(metricsPort: number, name: string): Promise<number> {
  const scraped = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(scraped)?.[1]);
}
