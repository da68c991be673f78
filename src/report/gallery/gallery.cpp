#include "report/gallery.hpp"

#include "report/gallery/sections.hpp"

namespace mercer::report {

Json gallery_document() {
  return {{"kind", "gallery"},
          {"title", "Kernels in pictures"},
          {"subtitle", "What textbooks on kernel machines draw, computed by Mercer as you would compute it."},
          {"sections",
           {gallery::basic_kernels(), gallery::ridge_fits(), gallery::support_vectors(), gallery::priors(),
            gallery::posteriors(), gallery::two_targets(), gallery::map_of_cities(), gallery::waves_of_a_path()}},
          {"made", "Mercer " MERCER_VERSION}};
}

}  // namespace mercer::report
