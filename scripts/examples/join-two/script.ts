// Join orders to customers, and say which orders name a customer nobody knows.
interface Customer { customer_id: string; name: string; city: string; segment: string }
interface Order { order_id: string; customer_id: string; date: string; amount: string; currency: string }

const read = async <T>(name: string): Promise<T[]> =>
  parseCSV((await files.readText(name)).content, { header: true }) as T[];

const [customers, orders] = await Promise.all([read<Customer>('customers.csv'), read<Order>('orders.csv')]);
const byId = new Map(customers.map(customer => [customer.customer_id, customer] as const));

const joined = orders.map(order => {
  const customer = byId.get(order.customer_id);
  return { ...order, customer: customer?.name ?? '', city: customer?.city ?? '', segment: customer?.segment ?? '' };
});
const orphans = joined.filter(row => row.customer === '').map(row => row.order_id);
if (orphans.length > 0) console.warn(`${orphans.length} orders have no customer:`, orphans.join(', '));

await files.create('orders-with-customers.csv', 'text/csv', { content: toCSV(joined) });

const totals: Record<string, Record<string, number>> = {};
for (const row of joined) {
  if (!row.segment) continue;
  const segment = (totals[row.segment] ??= {});
  segment[row.currency] = Math.round(((segment[row.currency] ?? 0) + Number(row.amount)) * 100) / 100;
}
return { rows: joined.length, orphans, totals };
