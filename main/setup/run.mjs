// The one entry of every npm script: `node main/setup/run.mjs COMMAND [ARGUMENTS]`.
// It stays readable for old Node versions, so that they get a sentence instead of a syntax error.
const command = process.argv[2];
const oldest = 20;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(
    `Strata needs Node.js ${oldest} or newer and this is ${process.versions.node}: install a newer one from nodejs.org or your system's packages, then run the command again.`,
  );
  process.exit(1);
}

import(`./${command}.mjs`)
  .then((module) => module.default(process.argv.slice(3)))
  .catch((error) => {
    const isExpected = error.name === 'Problem';
    console.error(isExpected ? error.message : `npm run ${command} stopped: ${error.message}`);
    if (!isExpected) {
      console.error(
        process.env.STRATA_DEBUG
          ? error.stack
          : 'This is a mistake in the set-up scripts: run it again with STRATA_DEBUG=1 for the details.',
      );
    }
    process.exit(1);
  });
