/** The door of the sample data. */
export { sampleFiles } from './sample.ts'
export { sampleDataset } from './sample-dataset.ts'
export { sampleSeasons } from './sample-records.ts'
export { sampleSource } from './sample-source.ts'
export { sampleAsset, sampleMarket, samplePool, sampleUser, sampleVault } from './simulation.ts'
