// What tests of kernels expect of who runs them: the stand-in reports everything that is wrong, a
// device only errors.
#pragma once

#include <gtest/gtest.h>

#include "kernels/simt/host.h"

#ifndef SIMT_ON_DEVICE
#include "kernels/simt/findings.h"
#endif

namespace maskloom::kernels::cuda {

inline void ExpectNoFindings() {
#ifndef SIMT_ON_DEVICE
  for (const simt::Finding& finding : simt::TakeFindings())
    ADD_FAILURE() << simt::Describe(finding);
#endif
  EXPECT_EQ(simt::cudaDeviceSynchronize(), simt::cudaSuccess);
}

// As long as it lives the stand-in checks bounds, barriers and lanes alone.
class FewChecks {
 public:
  FewChecks() {
#ifndef SIMT_ON_DEVICE
    simt::SetChecks(simt::Checks::Fast());
#endif
  }
  ~FewChecks() {
#ifndef SIMT_ON_DEVICE
    simt::SetChecks(simt::Checks::Full());
#endif
  }
  FewChecks(const FewChecks&) = delete;
  FewChecks& operator=(const FewChecks&) = delete;
};

}  // namespace maskloom::kernels::cuda
