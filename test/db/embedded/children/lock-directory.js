/** Takes the directory's lock, says so, and holds it until it is killed. Exits at once when somebody else has it. */
import { lockDirectory } from '../../../../dist/db/embedded/directory-lock.js';

try {
  lockDirectory(process.argv[2]);
  console.log('locked');
  setInterval(() => {}, 60_000);
} catch (error) {
  console.log(error.name);
}
