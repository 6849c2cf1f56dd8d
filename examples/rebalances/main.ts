/** What happens to tasks when members come and go: `npm run example -- rebalances`. */
import { rebalances } from './rebalances.js';

await rebalances((line) => console.log(line));
